! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Synchronisation from Fortran: critical, atomic, locks, single copyprivate, master, barrier, flush.
module bodies
  use check
  use omp_lib
  implicit none
contains

  subroutine in_critical(width) bind(c)
    integer(c_int), value :: width
    integer :: i, count, named
    count = 0; named = 0
    !$omp parallel num_threads(width) private(i) shared(count, named)
    do i = 1, 20
       !$omp critical
       count = count + 1
       !$omp end critical
       !$omp critical (fortran_name)
       named = named + 2
       !$omp end critical (fortran_name)
    end do
    !$omp end parallel
    ! The regions exclude across outer teams too, but each team has counts of its own.
    call expect(count == 20 * width .and. named == 40 * width, "critical")
  end subroutine in_critical

  subroutine atomics(width) bind(c)
    integer(c_int), value :: width
    integer :: i, sum, low, bits, mine, got
    real(8) :: x
    real(4) :: y
    complex(8) :: z
    logical :: every
    integer :: tickets(0:127)
    sum = 0; low = 1000; bits = 0; x = 1; y = 0; z = 0; every = .true.; tickets = 0; mine = 0
    !$omp parallel num_threads(width) private(i, got) shared(sum, low, bits, x, y, z, every, mine, tickets)
    do i = 1, 10
       !$omp atomic
       sum = sum + i
       !$omp atomic
       low = min(low, i + omp_get_thread_num())
       !$omp atomic
       bits = ior(bits, ishft(1, i))
       !$omp atomic
       x = x * 1
       !$omp atomic update
       y = 0.5 + y
       !$omp atomic
       z = z + (1, -1)
       !$omp atomic
       every = every .and. i > 0
       !$omp atomic capture
       got = mine
       mine = mine + 1
       !$omp end atomic
       !$omp atomic
       tickets(got) = tickets(got) + 1
       !$omp atomic read
       got = sum
       call expect(got > 0, "atomic read")
    end do
    !$omp end parallel
    call expect(sum == 55 * width .and. low == 1 .and. bits == 2046, "+, min, ior")
    call expect(x == 1 .and. y == 5 * width .and. every, "*, real, logical")
    call expect(z == cmplx(10 * width, -10 * width, 8), "complex")
    call expect(all(tickets(0:10 * width - 1) == 1), "capture")
    !$omp parallel num_threads(width)
    !$omp atomic write
    sum = 7
    !$omp end parallel
    call expect(sum == 7, "write")
  end subroutine atomics

  subroutine locks(width) bind(c)
    integer(c_int), value :: width
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest
    integer :: count, i, depth
    count = 0
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest)
    !$omp parallel num_threads(width) private(i, depth) shared(lock, nest, count)
    do i = 1, 10
       call omp_set_lock(lock)
       count = count + 1
       call omp_unset_lock(lock)
       call omp_set_nest_lock(nest)
       depth = omp_test_nest_lock(nest)
       call expect(depth == 2, "nest depth")
       count = count + 0
       call omp_unset_nest_lock(nest)
       call omp_unset_nest_lock(nest)
    end do
    !$omp end parallel
    call expect(count == 10 * width, "lock")
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest)
    call omp_init_lock(lock)
    call expect(omp_test_lock(lock), "test a free lock")
    !$omp parallel num_threads(width)
    call expect(.not. omp_test_lock(lock), "test a held lock")
    !$omp end parallel
    call omp_unset_lock(lock)
    call omp_destroy_lock(lock)
  end subroutine locks

  subroutine singles(width) bind(c)
    integer(c_int), value :: width
    integer :: count, value, i
    real :: array(5)
    count = 0
    !$omp parallel num_threads(width) private(value, array, i) shared(count)
    do i = 1, 5
       !$omp single
       count = count + 1
       value = 10 * i
       array = real(i)
       !$omp end single copyprivate(value, array)
       call expect(count == i .and. value == 10 * i .and. all(array == real(i)), "single")
       !$omp barrier
    end do
    !$omp master
    count = count + 100
    !$omp end master
    !$omp barrier
    !$omp flush
    call expect(count == 105, "master")
    !$omp end parallel
  end subroutine singles

end module bodies

program sync_fortran
  use bodies
  call run_check("critical", in_critical)
  call run_check("atomics", atomics)
  call run_check("locks", locks)
  call run_check("singles", singles)
  call finish()
end program sync_fortran

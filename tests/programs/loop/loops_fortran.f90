! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Worksharing loops from Fortran: schedules, strides, integer kinds, ordered, doacross, collapse, lastprivate,
! sections.
!
! libgomp waits for a sink by spinning, which takes minutes on an oversubscribed machine:
! test: peer-teams gfortran 1 2 3
module bodies
  use check
  use omp_lib
  use iso_fortran_env, only: int8, int64
  implicit none
contains

  subroutine schedules(width) bind(c)
    integer(c_int), value :: width
    integer :: hits(200, 6), owner(200), i
    hits = 0
    !$omp parallel num_threads(width) shared(hits, owner)
    !$omp do schedule(static)
    do i = 1, 200
       hits(i, 1) = hits(i, 1) + 1
    end do
    !$omp do schedule(static, 7)
    do i = 1, 200
       hits(i, 2) = hits(i, 2) + 1
       owner(i) = omp_get_thread_num()
    end do
    !$omp do schedule(dynamic)
    do i = 1, 200
       hits(i, 3) = hits(i, 3) + 1
    end do
    !$omp do schedule(dynamic, 9)
    do i = 1, 200
       hits(i, 4) = hits(i, 4) + 1
    end do
    !$omp end do nowait
    !$omp do schedule(guided, 3)
    do i = 1, 200
       hits(i, 5) = hits(i, 5) + 1
    end do
    !$omp end do nowait
    !$omp do schedule(runtime)
    do i = 1, 200
       hits(i, 6) = hits(i, 6) + 1
    end do
    !$omp end parallel
    call expect(all(hits == 1), "every iteration once")
    call expect(all([(owner(i) == mod((i - 1) / 7, width), i=1, 200)]), "static chunks go round")
  end subroutine schedules

  subroutine strides(width) bind(c)
    integer(c_int), value :: width
    integer :: i, none
    integer(int8) :: small
    integer(int64) :: large, total
    integer :: count
    total = 0
    count = 0
    none = 0
    !$omp parallel num_threads(width) reduction(+:total, count)
    !$omp do schedule(dynamic, 2)
    do i = 100, 1, -3
       total = total + i
    end do
    !$omp do schedule(guided)
    do large = 3000000000_int64, 3000000050_int64, 5
       total = total + (large - 3000000000_int64)
    end do
    !$omp do schedule(static)
    do small = -120_int8, 120_int8, 20_int8
       total = total + small
    end do
    !$omp do schedule(dynamic)
    do i = 1, none
       count = count + 1
    end do
    !$omp do schedule(static, 2)
    do i = none, 1, -1
       count = count + 1
    end do
    !$omp end parallel
    call expect(total == 34 * (100 + 1) / 2 + 275, "sum over strides")
    call expect(count == 0, "no trips")
  end subroutine strides

  subroutine in_order(width) bind(c)
    integer(c_int), value :: width
    integer :: i, next, wrong
    next = 1
    wrong = 0
    !$omp parallel num_threads(width) shared(next, wrong)
    !$omp do ordered schedule(dynamic, 2)
    do i = 1, 50
       !$omp ordered
       if (next /= i) wrong = wrong + 1
       next = i + 1
       !$omp end ordered
    end do
    !$omp end parallel
    call expect(next == 51 .and. wrong == 0, "ordered")
  end subroutine in_order

  subroutine doacross(width) bind(c)
    integer(c_int), value :: width
    integer :: grid(0:15, 0:15), i, j
    grid = 1
    !$omp parallel num_threads(width) shared(grid)
    !$omp do ordered(2) schedule(static, 1)
    do i = 1, 15
       do j = 1, 15
          !$omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
          grid(j, i) = mod(grid(j - 1, i) + grid(j, i - 1), 9973)
          !$omp ordered depend(source)
       end do
    end do
    !$omp end parallel
    do i = 1, 15
       do j = 1, 15
          call expect(grid(j, i) == mod(grid(j - 1, i) + grid(j, i - 1), 9973), "wavefront")
       end do
    end do
  end subroutine doacross

  subroutine collapsed(width) bind(c)
    integer(c_int), value :: width
    integer :: hits(4, 5, 6), i, j, k, last
    hits = 0
    !$omp parallel do num_threads(width) collapse(3) schedule(dynamic, 5) lastprivate(last)
    do i = 1, 4
       do j = 1, 5
          do k = 1, 6
             hits(i, j, k) = hits(i, j, k) + 1
             last = 100 * i + 10 * j + k
          end do
       end do
    end do
    call expect(all(hits == 1) .and. last == 456, "collapse(3)")
  end subroutine collapsed

  subroutine in_sections(width) bind(c)
    integer(c_int), value :: width
    integer :: a, b, c
    a = 0; b = 0; c = 0
    !$omp parallel num_threads(width) shared(a, b, c)
    !$omp sections
    !$omp section
    a = a + 1
    !$omp section
    b = b + 2
    !$omp section
    c = c + 3
    !$omp end sections
    call expect(a == 1 .and. b == 2 .and. c == 3, "sections")
    !$omp end parallel
  end subroutine in_sections

end module bodies

program loops_fortran
  use bodies
  call run_check("schedules", schedules)
  call run_check("strides", strides)
  call run_check("in-order", in_order)
  call run_check("doacross", doacross)
  call run_check("collapsed", collapsed)
  call run_check("in-sections", in_sections)
  call finish()
end program loops_fortran
